import type { Property } from '@caretaker/contract/properties.ts'

/** The history of a home's cases as rules read it, with instants in ms. */
export const entriesIn = (history: Property['awaabsLawHistory']) =>
  history.map((entry) => ({
    ...entry,
    on: entry.happenedOn,
    at: entry.happenedAt === null ? null : Date.parse(entry.happenedAt),
    enteredAt: Date.parse(entry.enteredAt),
  }))
