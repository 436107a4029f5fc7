/**
 * A gateway got no answer from the server behind it: 502 and 504 (RFC 9110, 15.6), or 520 to 527, by which content
 * delivery networks tell apart why.
 */
export function isGatewayFailure(status: number): boolean {
  return status === 502 || status === 504 || (status >= 520 && status <= 527);
}
