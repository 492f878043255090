import { Checkbox } from '@mantine/core'
import type { GroupDetails } from '@caretaker/contract/groups.ts'
import { runningTestText } from '@caretaker/rules/lighting/running.ts'
import { useClock } from '../../ui/age-view.tsx'
import { InfoMessage } from '../../ui/info-message.tsx'
import { useZone } from '../../ui/zone.tsx'
import { lightsText } from './words.tsx'

interface RunningTestProps {
  running: GroupDetails['running']
  /** Whether to stop the test. */
  isStopped: boolean
  onStop: (isStopped: boolean) => void
}

/** A notice that a test of the group is running, with an option to stop it. */
export function RunningTest({ running, isStopped, onStop }: RunningTestProps) {
  const [zone, now] = [useZone(), useClock()]
  if (!running.length) return undefined
  return (
    <InfoMessage type="warning">
      {running.map(({ testType, startedAt, endsAt, lights }) => (
        <p key={`${testType} ${startedAt}`}>
          {runningTestText({ testType, startedAt, endsAt }, now, zone)}, {lightsText(lights)}. Lights that have not
          received it are not tested.
        </p>
      ))}
      <Checkbox
        label="Stop the running test"
        description="Otherwise, lights that have started finish their test and keep the result."
        checked={isStopped}
        onChange={(event) => onStop(event.currentTarget.checked)}
      />
    </InfoMessage>
  )
}
