import { eventTypes, sinkKinds } from '../../../lib/shift/notify';

/** The table of sinks of docs/notifications.md. */
export function sinkTable(): string {
  const rows = Object.entries(sinkKinds).map(([name, { tells, events }]) => {
    const types =
      events.length === eventTypes.length ? 'all' : events.map((type) => `\`${type}\``).join(', ');
    return `| \`${name}\` | ${tells} | ${types} |`;
  });
  return ['| sink | what arrives where | events |', '|---|---|---|', ...rows].join('\n');
}

/** The page with the table as it is now. */
export function withSinkTable(page: string): string {
  return page.replace(/^\| sink \|.*\n(?:\|.*\n)+/m, `${sinkTable()}\n`);
}
