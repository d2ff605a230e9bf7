/** Time of silence before progress is shown, and between two lines, in milliseconds. */
const interval = 2_000;

/**
 * Takes lines about how far a run is, and writes one of them every two seconds: the newest one.
 *
 * @param now milliseconds, of a clock that is never set
 */
export function progressLines(
  write: (line: string) => void,
  now: () => number = () => performance.now(),
): (text: string) => void {
  let last = now();
  return (text) => {
    if (now() - last >= interval) {
      last = now();
      write(`${text}\n`);
    }
  };
}
