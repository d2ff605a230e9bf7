import type { JudgedObject } from './judged-object';

/** A template of a Helm chart that was not rendered. */
export interface TemplateFile {
  /** The chart as an object, `kind: Chart`, which findings name; its source is the template's file. */
  readonly chart: JudgedObject;
  /** Path of the template, as it was given. */
  readonly file: string;
  /** The template as it is written. */
  readonly text: string;
}
