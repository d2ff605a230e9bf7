/** A text of somebody else's for a terminal: nothing in it moves the cursor, changes colours or ends a line. */
export function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, ' ');
}
