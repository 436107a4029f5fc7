/** One addon, with an object of calls for each concern. A concern that is not used costs nothing but its place in the file. */
#include <node_api.h>

#include "concerns.h"
#include "js.h"

namespace svcfs {
namespace {

/** Adds an object with the calls of one concern. */
bool Add(napi_env env, napi_value exports, const char* name, bool (*add_calls)(napi_env, napi_value)) {
  napi_value calls;
  return napi_create_object(env, &calls) == napi_ok && add_calls(env, calls) &&
         napi_set_named_property(env, exports, name, calls) == napi_ok;
}

}  // namespace
}  // namespace svcfs

NAPI_MODULE_INIT() {
  using namespace svcfs;
  const bool done = transport::Register(env, exports) && Add(env, exports, "md5", md5::Register) &&
                    Add(env, exports, "blocks", blocks::Register) &&
                    Add(env, exports, "memory", memory::Register) && Add(env, exports, "socket", socket::Register) &&
                    Add(env, exports, "files", files::Register) && Add(env, exports, "tls", tls::Register);
  if (!done) js::Throw(env, "the addon could not be set up");
  return exports;
}
