export { entriesBelow } from './entries-below';
export type { EntryBelow } from './entries-below';
export { FileRefused } from './file-refused';
export { makeFolders } from './make-folders';
export {
  longestFile,
  mostTogether,
  readBounded,
  readBoundedLater,
  readDescriptor,
  utf8Text,
  whyNotUtf8,
} from './read-bounded';
export type { ReadSettings } from './read-bounded';
export { checkBelow, isTemporary, writeBelow } from './write-below';
export type { FileBelow } from './write-below';
export { writeInPlace } from './write-in-place';
