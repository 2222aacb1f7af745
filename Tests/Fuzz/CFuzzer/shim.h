// What libFuzzer has for programs with a `main` of their own: "Using libFuzzer as a library" in
// LLVM's documentation. There is no header for it.
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(
    int *_Nonnull count, char *_Nullable *_Nullable *_Nonnull arguments,
    int (*_Nonnull test)(const uint8_t *_Nullable bytes, size_t count));
