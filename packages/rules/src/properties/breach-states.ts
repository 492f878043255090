/** How a missed deadline ended: moved are those that an entry or new figures have given another day since. */
export const breachStates = ['not done', 'done late', 'closed', 'moved'] as const
export type BreachState = (typeof breachStates)[number]
