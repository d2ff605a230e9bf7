/**
 * Names of clusters and Applications have 253 characters at most, addresses hardly more. What is longer would cost the
 * time of a shift, and matches nothing.
 */
const longest = 1_000;

/**
 * Whether a text matches a pattern in which `*` means any characters and `?` any one.
 *
 * Pattern and text are both of other people. A regular expression would try every way to share the text between the
 * `*`s. Here only the last `*` that was met is ever widened: steps in proportion to pattern times text.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  if (pattern.length > longest || text.length > longest) {
    return false;
  }
  let [inPattern, inText] = [0, 0];
  let [star, widened] = [-1, 0];
  while (inText < text.length) {
    const sign = pattern[inPattern];
    if (sign === '*') {
      [star, widened] = [inPattern, inText];
      inPattern += 1;
    } else if (sign === '?' || sign === text[inText]) {
      inPattern += 1;
      inText += 1;
    } else if (star >= 0) {
      widened += 1;
      [inPattern, inText] = [star + 1, widened];
    } else {
      return false;
    }
  }
  while (pattern[inPattern] === '*') {
    inPattern += 1;
  }
  return inPattern === pattern.length;
}
