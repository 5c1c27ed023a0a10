/**
 * node:http, for `kubectl proxy` and tests. An import would make all of its exports, among them WebSocket, which
 * loads a whole second HTTP client: 14 MB of memory (measured) that programs in a pod need not pay for.
 */
export function plainHttp(): typeof import('node:http') {
  return process.getBuiltinModule('node:http');
}
