import { matcherOf } from '../../lib/match-names.ts';
import { type AnyPlace, describePlace, isDirectoryPlace, nameOf } from '../../places/any-place.ts';
import { CliError } from '../exit-codes.ts';
import { entriesOf, type ListingPlaces } from './entries-of.ts';

const SCHEME = /^(?:project|volume):/;
const GLOB = /[*?[]/;

/** Whether a path of the form `project:…` or `volume:…` has signs in it that a shell would expand in a path of its own. */
export function isGlob(path: string): boolean {
  return SCHEME.test(path) && GLOB.test(path);
}

/** The part of a glob that has no such sign: a directory. */
export function fixedPartOf(glob: string): string {
  const segments = glob.split('/');
  const first = segments.findIndex((segment) => GLOB.test(segment));
  if (first < 2) throw new CliError('usage', `${glob}: owner and name are to be written out`);
  return segments.slice(0, first).join('/');
}

/** What fits a glob, by listing the directories that it leads through. A `*` stands for no `.` at the beginning of a name. */
export async function expandGlob(
  glob: string,
  from: AnyPlace,
  asking: ListingPlaces,
): Promise<readonly AnyPlace[]> {
  const patterns = glob.slice(fixedPartOf(glob).length + 1).split('/');
  let places: readonly AnyPlace[] = [from];
  for (const pattern of patterns.filter((each) => each !== '')) {
    const fits = matcherOf([pattern]);
    const found: AnyPlace[] = [];
    for (const place of places.filter(isDirectoryPlace)) {
      const below = await entriesOf(place, asking);
      found.push(
        ...below.filter((each) => {
          const name = nameOf(each);
          return fits(name) && (pattern.startsWith('.') || !name.startsWith('.'));
        }),
      );
    }
    places = found;
  }
  return [...places].sort((a, b) => (describePlace(a) < describePlace(b) ? -1 : 1));
}
