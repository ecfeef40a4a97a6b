// Debian's libsqlite3-dev, as it is.
#include <sqlite3.h>
