/* libmosquitto, from Debian's libmosquitto-dev. */
#include <mosquitto.h>
#include <mqtt_protocol.h>
