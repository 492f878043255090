import type { CommandStatus } from './commands.ts'
import type { CommandLife } from './life.ts'
import { statusAt } from './life.ts'

/** The state of a command sent to one of many devices: sent is not done, and no answer is not a refusal. */
export const commandAnswers = ['confirmed', 'queued', 'sent', 'refused', 'unanswered', 'withdrawn'] as const
export type CommandAnswer = (typeof commandAnswers)[number]
export type AnswerCounts = Record<CommandAnswer, number>

export const noAnswers: AnswerCounts = { confirmed: 0, queued: 0, sent: 0, refused: 0, unanswered: 0, withdrawn: 0 }

const answers: Record<CommandStatus, CommandAnswer> = {
  queued: 'queued',
  sent: 'sent',
  confirmed: 'confirmed',
  failed: 'refused',
  expired: 'unanswered',
  withdrawn: 'withdrawn',
}

/** The current state of a command; a late answer counts as an answer. */
export function answerOf(
  command: Pick<CommandLife, 'status' | 'expiresAt' | 'lateAnswer'>,
  now: number,
): CommandAnswer {
  return answers[command.lateAnswer ?? statusAt(command, now)]
}

/** Words for one device, and after a number of devices. */
export const answerWords: Record<CommandAnswer, { one: string; many: string }> = {
  confirmed: { one: 'Confirmed', many: 'confirmed' },
  queued: { one: 'Queued', many: 'queued' },
  sent: { one: 'Sent', many: 'sent, not answered yet' },
  refused: { one: 'Refused', many: 'refused' },
  unanswered: { one: 'Not answered', many: 'not answered in time' },
  withdrawn: { one: 'Taken back', many: 'taken back' },
}
