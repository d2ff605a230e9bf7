/** A file to be judged. */
export interface FoundFile {
  /** As findings name it: relative to the working folder where it is below. */
  readonly file: string;
  /**
   * The file itself, without a link on the way. @default - it is the standard input, or a pipe that was named on the command
   * line: it can be read once only
   */
  readonly real?: string;
  /** Where mended copies go, below the folder for them. */
  readonly target: string;
  /** The chart whose templates the file is one of. @default - it is none */
  readonly chart?: ChartFolder;
}

/** A folder with a Helm chart that was not rendered. */
export interface ChartFolder {
  /** `Chart.yaml` in it, without a link on the way. @default - it is no file in there */
  readonly file?: string;
}
