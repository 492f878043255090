import type { Property } from '@caretaker/contract/properties.ts'

/** The history of a property's cases in the form that the rules expect, with instants in ms. */
export const entriesIn = (history: Property['awaabsLawHistory']) =>
  history.map((entry) => ({
    ...entry,
    on: entry.happenedOn,
    at: entry.happenedAt === null ? null : Date.parse(entry.happenedAt),
    enteredAt: Date.parse(entry.enteredAt),
  }))
