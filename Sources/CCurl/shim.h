// The variadic functions of libcurl, which Swift's importer skips. The library is loaded at the first
// request and not linked: its own libraries would cost each start some 10 ms. The types of its
// functions are those of its headers.
#pragma once
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

struct avjob_curl {
  __typeof__(&curl_global_init) global_init;
  __typeof__(&curl_easy_init) easy_init;
  __typeof__(&curl_easy_reset) easy_reset;
  __typeof__(&curl_easy_cleanup) easy_cleanup;
  __typeof__(&curl_easy_perform) easy_perform;
  __typeof__(&curl_easy_strerror) easy_strerror;
  __typeof__(&curl_easy_header) easy_header;
  __typeof__(&curl_slist_append) slist_append;
  __typeof__(&curl_slist_free_all) slist_free_all;
  __typeof__(&curl_getdate) getdate;
  // Declared here, since <curl/curl.h> makes macros of them.
  CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
  CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
};

// Fills `table` from the library of a name (dlopen(3)). Gives 0 where the library is not there,
// lacks a function, or cannot be initialised (curl_global_init(3)). Called by one thread.
static inline int avjob_load_curl(const char *name, struct avjob_curl *table) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
#define AVJOB_LOAD(field) \
  ((table->field = (__typeof__(table->field))dlsym(library, "curl_" #field)) != NULL)
  return AVJOB_LOAD(global_init) && AVJOB_LOAD(easy_init) && AVJOB_LOAD(easy_reset) &&
         AVJOB_LOAD(easy_cleanup) && AVJOB_LOAD(easy_perform) && AVJOB_LOAD(easy_strerror) &&
         AVJOB_LOAD(easy_header) && AVJOB_LOAD(slist_append) && AVJOB_LOAD(slist_free_all) &&
         AVJOB_LOAD(getdate) &&
         AVJOB_LOAD(easy_setopt) && AVJOB_LOAD(easy_getinfo) &&
         table->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
#undef AVJOB_LOAD
}

// CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION
typedef size_t (*avjob_curl_data)(char *bytes, size_t size, size_t count, void *context);
// CURLOPT_XFERINFOFUNCTION
typedef int (*avjob_curl_progress)(void *context, curl_off_t download_size, curl_off_t downloaded,
                                   curl_off_t upload_size, curl_off_t uploaded);
// CURLOPT_OPENSOCKETFUNCTION
typedef curl_socket_t (*avjob_curl_open)(void *context, curlsocktype purpose,
                                         struct curl_sockaddr *address);

// curl_easy_setopt(3), by the type of the option's value.
#define AVJOB_SET(name, type)                                                      \
  static inline CURLcode name(const struct avjob_curl *curl, CURL *handle,         \
                              CURLoption option, type value) {                     \
    return curl->easy_setopt(handle, option, value);                               \
  }
AVJOB_SET(avjob_curl_set_number, long)
AVJOB_SET(avjob_curl_set_text, const char *)
AVJOB_SET(avjob_curl_set_pointer, void *)
AVJOB_SET(avjob_curl_set_data, avjob_curl_data)
AVJOB_SET(avjob_curl_set_progress, avjob_curl_progress)
AVJOB_SET(avjob_curl_set_open, avjob_curl_open)
#undef AVJOB_SET

// curl_easy_getinfo(3); 0 where the library does not know it.
static inline long avjob_curl_number(const struct avjob_curl *curl, CURL *handle, CURLINFO info) {
  long value = 0;
  return curl->easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

// curl_easy_getinfo(3), for texts of the library; NULL where it has none.
static inline const char *avjob_curl_text(const struct avjob_curl *curl, CURL *handle,
                                          CURLINFO info) {
  const char *value = NULL;
  return curl->easy_getinfo(handle, info, &value) == CURLE_OK ? value : NULL;
}

// The value of one of a field's lines in the head of the answer (curl_easy_header(3)), without blanks
// around it; NULL where there is none. Valid until the next call.
static inline const char *avjob_curl_header(
    const struct avjob_curl *curl, CURL *handle, const char *name, size_t index) {
  struct curl_header *found = NULL;
  CURLHcode code = curl->easy_header(handle, name, index, CURLH_HEADER, -1, &found);
  return code == CURLHE_OK ? found->value : NULL;
}

// Writes an address in network order. Gives the count of its bytes: 4, 16, or 0 for other families.
static inline size_t avjob_curl_address(const struct curl_sockaddr *address, uint8_t *bytes) {
  const void *place = &address->addr;
  if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
    memcpy(bytes, &((const struct sockaddr_in *)place)->sin_addr, 4);
    return 4;
  }
  if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
    memcpy(bytes, &((const struct sockaddr_in6 *)place)->sin6_addr, 16);
    return 16;
  }
  return 0;
}

// socket(2), closed in programs that are started; a negative errno where it fails.
static inline curl_socket_t avjob_curl_socket(const struct curl_sockaddr *address) {
  int found = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  return found < 0 ? -errno : found;
}
