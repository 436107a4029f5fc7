/** The keys of a profile. */
export const PROFILE_KEYS = ['api_endpoint', 'auth_token', 'dialect'] as const;
