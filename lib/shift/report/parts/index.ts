/** What other pages about a shift are drawn with. */
export { slotMarks } from '../drawing';
export type { SlotMark } from '../drawing';
export { chartStyle } from '../event-lanes';
export { elapsed, weightsText } from '../format';
export { element } from '../markup';
export type { Content, Markup } from '../markup';
export { verdicts } from '../page';
export { checksSection, folded, logSection, section, unbroken, weightsSection } from '../sections';
export type { ReportedShift } from '../sections';
export { pageStyle } from '../style';
export { answerTable, approvalsTable, time } from '../tables';
export { slotsOf, weightOf } from '../timeline';
