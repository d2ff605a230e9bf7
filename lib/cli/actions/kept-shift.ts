import { readBoundedLater, utf8Text } from '../../core/files/read';
import { InvalidInput, errorLine } from '../../core/validation/problems';
import { longestShift, openShiftHistory, readShifts } from '../../shift/history';
import type { ReadShift, ShiftHistorySettings } from '../../shift/history';

/** What a command line calls the value that names a shift. */
interface Named {
  /** The command, for errors. */
  readonly command: string;
  /** The argument: `--from`. */
  readonly argument: string;
}

/**
 * The outcome of a shift in a file: one that a history keeps, or what `cluster-canary shift --json` has printed.
 *
 * @param route which one, where the file is of several
 * @throws InvalidInput where it can't be read, is no outcome, or has several and none is chosen
 */
export async function shiftOfFile(
  file: string,
  route: string | undefined,
  { command, argument }: Named,
): Promise<ReadShift> {
  const refuse = (allowed: string, path = argument, value = file): InvalidInput =>
    new InvalidInput(command, [{ path, value, allowed }]);
  let found: readonly ReadShift[] | string;
  try {
    found = readShifts(file, utf8Text(await readBoundedLater(file, longestShift), file));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw refuse(
      `a file with the outcome of a shift; ${isMissing ? 'there is no such file' : errorLine(error)}`,
    );
  }
  if (typeof found === 'string') {
    throw refuse(`the outcome of a shift, as "cluster-canary shift --json" prints it; ${found}`);
  }
  const [only, ...others] = found;
  const names = found.map((each) => each.route ?? 'traffic');
  if (route === undefined ? others.length > 0 : !names.includes(route)) {
    throw refuse(`one of ${names.join(', ')}, the routes of ${file}`, '--route', route);
  }
  const chosen = route === undefined ? only : found[names.indexOf(route)];
  if (!chosen) {
    throw refuse('the outcome of a shift that has begun; none of its routes has');
  }
  return chosen;
}

/**
 * A shift of a history.
 *
 * @param base the folder that paths start from
 * @throws InvalidInput where there is none of that name, or it can't be read
 */
export async function shiftOfHistory(
  id: string,
  settings: ShiftHistorySettings,
  base: string,
  { command, argument }: Named,
  signal?: AbortSignal,
): Promise<ReadShift> {
  const { history, close } = await openShiftHistory(settings, base);
  try {
    const found = await history.read(id, signal);
    if (found === undefined || typeof found === 'string') {
      const allowed = `the name of a shift in ${history.name}, as "cluster-canary history" lists it`;
      throw new InvalidInput(command, [
        { path: argument, value: id, allowed: found === undefined ? allowed : `${allowed}; ${found}` },
      ]);
    }
    const { run, ...outcome } = found;
    return { outcome, run, route: run.route };
  } finally {
    close();
  }
}
