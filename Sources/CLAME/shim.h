#pragma once
#include <stdio.h>
#include <lame/lame.h>
