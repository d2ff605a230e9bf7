import type { People } from '../../shift/page';
import { WatchedRun } from '../../shift/watch';
import type { WatchStores } from '../../shift/watch';

/** Lets other machines watch a route, and passes on what people ask there. */
export function watchedRun(stores: WatchStores, people: People, say: (line: string) => void): WatchedRun {
  return new WatchedRun({
    stores,
    say,
    onAnswer: ({ what, place, by }) => {
      if (what !== 'continue') {
        people.ask({ what, by });
      } else if (place !== undefined) {
        people.letContinue(place, by);
      }
    },
  });
}
