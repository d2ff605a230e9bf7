/**
 * A file is not read or written as it is: a link that leads elsewhere, a named pipe, a device, one that is too large. What
 * lies in a folder may be of somebody who wants another file to be read or overwritten, or this process to wait without an
 * end.
 */
export class FileRefused extends Error {
  /**
   * @param file the file, as it was named
   * @param reason what it is, as a phrase: `a named pipe`
   */
  public constructor(
    public readonly file: string,
    public readonly reason: string,
  ) {
    super(`${file}: ${reason}`);
    this.name = 'FileRefused';
  }
}
