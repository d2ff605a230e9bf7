/** Headings of sections that programs of their own write: `npm run bench` leaves them as they are. */
export const evacuationHeading = '## Evacuations';

export const quietHeading = '## Quiet hours';

export const apisHeading = '## Removed APIs';

/** A section goes from its heading to the next of its level, or to the end. */
export function withSection(before: string, heading: string, section: readonly string[]): string {
  const [head = '', ...sections] = before.split(/^(?=## )/m);
  const place = sections.findIndex((each) => each.startsWith(`${heading}\n`));
  const text = `${section.join('\n').trimEnd()}\n`;
  const others =
    place < 0 ? [...sections, text] : sections.map((each, index) => (index === place ? text : each));
  return `${[head, ...others].map((each) => each.trimEnd()).join('\n\n')}\n`;
}
