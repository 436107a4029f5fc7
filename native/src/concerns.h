#pragma once

#include <node_api.h>

/** The concerns of the addon, a folder each. `Register` adds the calls of one to `exports`; false: an error is thrown. */
namespace svcfs::transport {
bool Register(napi_env env, napi_value exports);
}
namespace svcfs::md5 {
bool Register(napi_env env, napi_value exports);
}
namespace svcfs::blocks {
bool Register(napi_env env, napi_value exports);
}
namespace svcfs::memory {
bool Register(napi_env env, napi_value exports);
}
namespace svcfs::socket {
bool Register(napi_env env, napi_value exports);
}
namespace svcfs::files {
bool Register(napi_env env, napi_value exports);
}
namespace svcfs::tls {
bool Register(napi_env env, napi_value exports);
}
