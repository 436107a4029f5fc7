/** Platforms that are known by name. All of them speak their own words, `sbg`. */
export const PLATFORMS: Readonly<Record<string, string>> = {
  sbg: 'https://api.sbgenomics.com/v2',
  'sbg-eu': 'https://eu-api.sbgenomics.com/v2',
  cgc: 'https://cgc-api.sbgenomics.com/v2',
  cavatica: 'https://cavatica-api.sbgenomics.com/v2',
  bdc: 'https://api.sb.biodatacatalyst.nhlbi.nih.gov/v2',
};

export function isKnownPlatform(endpoint: string): boolean {
  return Object.values(PLATFORMS).includes(endpoint);
}
