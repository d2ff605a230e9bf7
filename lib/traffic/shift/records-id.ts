import { plainName } from '../../routers';

/** The id of the records of a name, which have none of their own. */
export function recordsId(zone: string, name: string): string {
  return `${bareZone(zone)}/${plainName(name)}`;
}

/** Zone and name of such an id. */
export function recordsOf(id: string): { readonly zone: string; readonly name: string } {
  const slash = id.indexOf('/');
  return { zone: id.slice(0, slash), name: id.slice(slash + 1) };
}

/** The id of a zone without its path. */
export function bareZone(zone: string): string {
  return zone.replace(/^\/hostedzone\//, '');
}
