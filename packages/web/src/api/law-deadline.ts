import type { AwaabsLawCase } from '@caretaker/contract/properties.ts'
import type { Due, LawDeadline } from '@caretaker/rules/properties/awaabs-deadlines.ts'

type Sent = AwaabsLawCase['deadlines'][number]
type SentDue = Sent['due']

const due = (sent: SentDue): Due => ({ on: sent.on, at: sent.at === null ? null : Date.parse(sent.at) })
const dueOrNone = (sent: SentDue | null): Due | null => sent && due(sent)

/** A deadline from a call, with its instants in ms as the rules use them. */
export const deadlineOf = (sent: Sent): LawDeadline => ({
  ...{ step: sent.step, isEmergency: sent.isEmergency, due: due(sent.due), lawDue: dueOrNone(sent.lawDue) },
  ...{ otherDue: dueOrNone(sent.otherDue), done: dueOrNone(sent.done), ended: dueOrNone(sent.ended) },
  moved: sent.moved && { at: Date.parse(sent.moved.at), reason: sent.moved.reason },
})
