import { InvalidInput } from '../../../core/validation/problems';
import { userOnMachine } from '../../../shift/leases';
import { ShiftPage, parseAddress } from '../../../shift/page';
import type { ShiftPageOptions } from '../../../shift/page';
import type { ShiftFlags } from './flags';

/**
 * Opens the page of `--serve`, and says where it is: the only place that has its token.
 *
 * @param say takes the line
 * @throws InvalidInput where it can't listen there
 */
export async function servedPage(
  { serve, publicUrl, approverHeader }: Pick<ShiftFlags, 'serve' | 'publicUrl' | 'approverHeader'>,
  options: Pick<ShiftPageOptions, 'title' | 'controls' | 'links' | 'shiftId'>,
  say: (line: string) => void,
): Promise<ShiftPage | undefined> {
  if (serve === undefined) {
    return undefined;
  }
  let page: ShiftPage;
  try {
    page = await ShiftPage.open({
      ...{ ...options, by: userOnMachine(), address: parseAddress(serve)! },
      ...(publicUrl !== undefined && { publicUrl }),
      ...(approverHeader !== undefined && { approverHeader: approverHeader.toLowerCase() }),
    });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const allowed = `an address of this machine that is free (${code})`;
    throw new InvalidInput('shift', [{ path: '--serve', value: serve, allowed }]);
  }
  say(`Watch it, and act: ${page.urlWithToken}`);
  return page;
}
