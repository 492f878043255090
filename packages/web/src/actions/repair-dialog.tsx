import { Button, Select, Textarea } from '@mantine/core'
import type { Condition } from '@caretaker/contract/conditions.ts'
import { conditionText } from '@caretaker/rules/conditions/words.ts'
import { descriptionLength } from '@caretaker/rules/maintenance/forms.ts'
import { useReach } from '../api/reach.ts'
import { CancelButton, Dialog, DraftNote, Problems } from '../ui/dialog.tsx'
import { RepairParts, RepairPhotos, RepairProofs, RepairTimes } from './repair-fields.tsx'
import classes from './repair.module.css'
import type { ActionTarget } from './target.ts'
import { useRepair } from './use-repair.ts'

const offlineText = 'No connection. The repair is kept in this browser and sent when the connection is back.'

const queuedText =
  'This repair was submitted before the page was reloaded and is kept in this browser until the server confirms it. It is recorded only once.'

/** The form for recording a repair: replaced parts, time, author, and the test that proves the repair. */
export function RepairDialog({ target: device, onClose }: { target: ActionTarget; onClose: () => void }) {
  const { lost } = useReach()
  const repair = useRepair(device, onClose)
  const { isLight, worst, isBusy, fields, change, errors, equipment, proof, zone } = repair
  const title = `Repair ${device.name || device.serialNumber}`
  if (repair.isQueued)
    return (
      <Dialog title={title} onClose={onClose} actions={<CancelButton label="Close" />}>
        <p>{queuedText}</p>
      </Dialog>
    )
  return (
    <Dialog
      title={title}
      wide
      keepsDraft
      onClose={onClose}
      busy={isBusy}
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          void repair.send()
        },
      }}
      actions={
        <>
          <p className={classes.entered}>
            Entered by {repair.userName}
            {lost && <span>{offlineText}</span>}
            {repair.isDraft && <DraftNote onDiscard={repair.discardDraft} />}
          </p>
          <CancelButton disabled={isBusy} />
          <Button type="submit" loading={isBusy} disabled={!repair.maySend}>
            {proof.night ? 'Save repair and plan test' : 'Save repair'}
          </Button>
        </>
      }
    >
      {worst && <p className={classes.fault}>{textOf(worst)}</p>}
      {isLight ? (
        <RepairParts {...{ fields, change, errors, equipment }} isDisabled={isBusy} />
      ) : (
        <Select
          label="Repaired"
          allowDeselect={false}
          data={[
            { value: 'equipment', label: 'Equipment' },
            { value: 'device', label: 'Device itself' },
          ]}
          value={fields.isDevice ? 'device' : 'equipment'}
          onChange={(part) => change({ isDevice: part === 'device' })}
        />
      )}
      <RepairTimes
        {...{ fields, change, errors, equipment, zone }}
        hasBattery={repair.hasBattery}
        faultBegan={repair.faultBegan}
      />
      <Textarea
        label="Note"
        autosize
        minRows={2}
        maxRows={8}
        maxLength={descriptionLength}
        value={fields.note}
        error={errors.note}
        onChange={(event) => change({ note: event.currentTarget.value })}
      />
      <RepairPhotos
        photos={repair.photos}
        setPhotos={repair.setPhotos}
        isDisabled={isBusy}
        isDraft={repair.isDraft}
        error={repair.photoError}
      />
      {proof.mayTest && <RepairProofs {...{ proof, change, zone }} now={repair.now} isDisabled={isBusy} />}
      <Problems texts={repair.problems} />
    </Dialog>
  )
}

function textOf({ kind, key, description, states }: Condition): string {
  const known = Object.fromEntries(Object.entries(states ?? {}).filter(([, state]) => state !== undefined))
  return conditionText({ kind, key, description, ...(states && { states: known }) })
}
