export { CarefulReader } from './careful-reader';
