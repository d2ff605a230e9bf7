import * as pulumi from '@pulumi/pulumi';
import { plainLines } from '../core/printable-text';

/**
 * Where a program says something: Pulumi's log, of which the command writes every line to the terminal or to the log of a
 * pipeline as it is. So what others wrote is shown, and does nothing there.
 */
export const programLog = {
  /**
   * Something that is good to know.
   *
   * @param resource that it is about. @default - the stack
   */
  info: (text: string, resource?: pulumi.Resource): void => void pulumi.log.info(plainLines(text), resource),

  /**
   * Something that somebody should look at.
   *
   * @param resource that it is about. @default - the stack
   */
  warn: (text: string, resource?: pulumi.Resource): void => void pulumi.log.warn(plainLines(text), resource),

  /**
   * A line that the next one takes the place of.
   *
   * @param resource that it is about. @default - the stack
   */
  progress: (text: string, resource?: pulumi.Resource): void =>
    void pulumi.log.info(plainLines(text), resource, undefined, true),
};
