/* OpenSSL, from Debian's libssl-dev: what libmosquitto does not tell about a TLS connection. */
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
