/** How far a planned test of a group has come. */
export const runStates = ['planned', 'running', 'over', 'cancelled'] as const
export type RunState = (typeof runStates)[number]

/**
 * How far a planned test of one light has come. What is no result stands here and never among the results: a test that was
 * missed, not started or interrupted has neither passed nor failed (decisions of the specification, Test results).
 */
export const lightRunStates = ['waiting', 'sent', 'running', 'finished', 'missed', 'notStarted', 'interrupted'] as const
export type LightRunState = (typeof lightRunStates)[number]
