import { useState } from 'react'
import { Button, Checkbox, TextInput } from '@mantine/core'
import type { StartCheck } from '@caretaker/contract/groups.ts'
import { startReasonLength } from '@caretaker/rules/lighting/groups.ts'
import { startOf } from '@caretaker/rules/lighting/plan.ts'
import { longDay, nightText } from '@caretaker/rules/lighting/start-words.ts'
import { CancelButton, Dialog, dangerous } from '../../../ui/dialog.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { lightsText } from '../words.tsx'
import classes from './nights.module.css'

interface StartQuestionProps {
  question: NonNullable<StartCheck['question']>
  freeNight: string | null
  /** Selects the suggested night without saving. */
  onInstead: (start: string) => void
  onConfirm: (confirmation: { reason: string; agreed: true }) => void
  onClose: () => void
}

/** Asks before a T180 in the daytime or within the next hours is saved: which lights are affected, and until when. */
export function StartQuestion({ question, freeNight, onInstead, onConfirm, onClose }: StartQuestionProps) {
  const zone = useZone()
  const [reason, setReason] = useState('')
  const [isAgreed, setAgreed] = useState(false)
  const { title, text, floors, charging, lights, isSoon, isByDay } = question
  return (
    <Dialog
      title={isSoon ? 'Start the 3-hour test now?' : 'Start the 3-hour test during the day?'}
      size={560}
      onClose={onClose}
      actions={
        <>
          {freeNight !== null && (
            <Button variant="default" className={classes.instead} data-autofocus onClick={() => onInstead(freeNight)}>
              Use {longDay(startOf(freeNight, zone), zone).split(' ')[0]} at {freeNight.slice(11)} instead
            </Button>
          )}
          <CancelButton />
          <Button
            {...(reason.trim() && isAgreed ? { style: dangerous } : {})}
            disabled={!reason.trim() || !isAgreed}
            onClick={() => onConfirm({ reason: reason.trim(), agreed: true })}
          >
            {isSoon ? 'Start' : 'Plan'} test on {lightsText(lights)}
          </Button>
        </>
      }
    >
      <div className={classes.dark} role="note">
        <p>
          <b>{title}</b>
        </p>
        <p>{text}</p>
      </div>
      <div>
        <p>Lights in this test</p>
        <dl className={classes.floors}>
          {floors.map((floor) => (
            <div key={floor.floorName}>
              <dt>{floor.floorName}</dt>
              <dd>{lightsText(floor.lights)}</dd>
            </div>
          ))}
        </dl>
      </div>
      {charging.length > 0 && (
        <div>
          <p>
            {charging.length === 1
              ? '1 light is still charging and is left out'
              : `${charging.length} lights are still charging and are left out`}
          </p>
          <ul>
            {charging.map((light) => (
              <li key={light.deviceId}>
                {light.deviceName}, until {nightText(Date.parse(light.until), zone)}
              </li>
            ))}
          </ul>
        </div>
      )}
      <TextInput
        label="Reason"
        description="Recorded with your name in the history of the group."
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        maxLength={startReasonLength}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <Checkbox
        label={`The responsible person has agreed to ${isByDay ? 'a daytime test' : 'this start'}`}
        checked={isAgreed}
        onChange={(event) => setAgreed(event.currentTarget.checked)}
      />
    </Dialog>
  )
}
