/* Debian's libmicrohttpd-dev, and its variadic functions in a form that Swift can call. */
#include <microhttpd.h>
#include <string.h>

/* A path or an argument unescaped in its place. An escaped zero would end it before its end: it becomes a byte that no
   text has, so that such a path is refused. */
static inline size_t unescape_whole(void *owner, struct MHD_Connection *connection, char *text)
{
  (void) owner;
  (void) connection;
  for (char *zero = strstr(text, "%00"); zero; zero = strstr(zero, "%00")) memcpy(zero, "%FF", 3);
  return MHD_http_unescape(text);
}

/* A server without a thread, for the given listening socket. NULL if the library refuses. */
static inline struct MHD_Daemon *start_http_server(
  int socket, MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed,
  MHD_NotifyConnectionCallback connection_changed, void *owner,
  unsigned int connection_limit, unsigned int timeout_seconds, size_t head_bytes)
{
  return MHD_start_daemon(
    MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler, owner,
    MHD_OPTION_LISTEN_SOCKET, (MHD_socket) socket,
    MHD_OPTION_NOTIFY_COMPLETED, completed, owner,
    MHD_OPTION_NOTIFY_CONNECTION, connection_changed, owner,
    MHD_OPTION_UNESCAPE_CALLBACK, unescape_whole, NULL,
    MHD_OPTION_CONNECTION_LIMIT, connection_limit,
    MHD_OPTION_CONNECTION_TIMEOUT, timeout_seconds,
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, head_bytes,
    MHD_OPTION_END);
}

/* The epoll descriptor that is readable when MHD_run has something to do; -1 if there is none. */
static inline int http_server_descriptor(struct MHD_Daemon *daemon)
{
  const union MHD_DaemonInfo *answer = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return answer ? answer->epoll_fd : -1;
}

/* How many clients are connected. */
static inline unsigned int http_server_connections(struct MHD_Daemon *daemon)
{
  const union MHD_DaemonInfo *answer = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return answer ? answer->num_connections : 0;
}

/* The socket of a client; -1 if there is none. */
static inline int http_connection_socket(struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *answer =
    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return answer ? answer->connect_fd : -1;
}
