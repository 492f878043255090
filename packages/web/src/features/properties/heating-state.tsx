import type { HeatingState } from '@caretaker/rules/properties/heating.ts'
import { heatingGroups, heatingStateWords } from '@caretaker/rules/properties/heating.ts'
import { StatusIcon } from '../../ui/status-icon.tsx'
import chips from '../../ui/status-chip.module.css'

const tones = { Passed: 'passed', Warning: 'warning', Failed: 'failed' } as const

/** The colour and icon of a heating state. */
export const heatingTone = (state: HeatingState) => tones[heatingGroups[state]]

export function HeatingStateView({ state }: { state: HeatingState }) {
  const tone = heatingTone(state)
  return (
    <span className={chips.chip} data-tone={tone}>
      <StatusIcon tone={tone} size={14} />
      {heatingStateWords[state]}
    </span>
  )
}
