import { redactedUrl } from '../../../../core/redaction';
import { shownLine } from '../run-command';

/** A repository for messages: its URL without a login or a query; of one in a folder, the path. */
export function shownRepository(url: string): string {
  const [, path] = /^file:\/\/(\/.*)$/.exec(url) ?? [];
  if (path !== undefined) {
    return shownLine(path);
  }
  // Git's own form names a user, which is no secret; its host is what a reader looks for.
  const [, address] = /^[\w.]+@([\w.-]+:[\w./~-]+)$/.exec(url) ?? [];
  return address === undefined || url.startsWith('git@') ? redactedUrl(url) : shownLine(address);
}
