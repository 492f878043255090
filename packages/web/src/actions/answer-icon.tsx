import { IconClock } from '../icons/index.ts'
import type { CommandAnswer } from '@caretaker/rules/commands/answers.ts'
import { StatusIcon } from '../ui/status-icon.tsx'
import type { StatusTone } from '../ui/tokens.ts'

const tones: Partial<Record<CommandAnswer, StatusTone>> = {
  confirmed: 'passed',
  refused: 'failed',
  unanswered: 'failed',
  withdrawn: 'not-installed',
}

/** The icon for a device's answer to a command; decorative, always beside a text. */
export function AnswerIcon({ answer }: { answer: CommandAnswer }) {
  const tone = tones[answer]
  return tone ? <StatusIcon tone={tone} /> : <IconClock size={16} aria-hidden style={{ color: 'var(--dimmed)' }} />
}
