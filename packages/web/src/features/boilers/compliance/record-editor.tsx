import { useEffect, useState } from 'react'
import { Button, Loader } from '@mantine/core'
import { IconAlertCircle, IconCheck } from '../../../icons/index.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import { dayFrom } from '@caretaker/rules/calendar/days.ts'
import { keepsDate } from '@caretaker/rules/compliance/due.ts'
import { longestSerialNumber, recordTexts, recordTypeWords, testKits } from '@caretaker/rules/compliance/records.ts'
import { SelectField, TextField, useField } from '../../../ui/forms/fields.tsx'
import { DraftNote } from '../../../ui/dialog.tsx'
import { discardDraft, useValidForm } from '../../../ui/forms/use-form.ts'
import { useDrop } from '../../../ui/use-drop.ts'
import { CertificateField, certificateFault } from './certificate-field.tsx'
import { DayField, ResultField } from './record-fields.tsx'
import { emptyRecord, recordSchema } from './record-form.ts'
import type { KnownStanding } from './standing.ts'
import type { Adding } from './use-adding.ts'
import { useAdding } from './use-adding.ts'
import classes from './compliance.module.css'

interface RecordEditorProps {
  device: Device
  standing: KnownStanding
  onClose: () => void
  onAdded: (serialNumber: string) => void
}

/** Adds a record: fields, certificate and upload progress. */
export function RecordEditor({ device, standing, onClose, onAdded }: RecordEditorProps) {
  const { type, today } = standing
  const [schema] = useState(() => recordSchema(type, today))
  const form = useValidForm({
    schema,
    defaultValues: emptyRecord,
    draft: { name: `${type} record ${device.deviceId}` },
  })
  const { adding, add, stop, reopen } = useAdding(type, device.deviceId, () => {
    const serialNumber = form.getValues('serialNumber').trim()
    discardDraft(form)
    onAdded(serialNumber)
  })
  // The editor opens below the cards, so the focus moves there.
  const { setFocus } = form
  useEffect(() => setFocus('serialNumber'), [setFocus])
  const [notTaken, setNotTaken] = useState<string>()
  const certificate = useField({ form, name: 'file' })
  const isBusy = adding.is === 'saving' || adding.is === 'uploading'
  const choose = async (file: File | null) => {
    const fault = file && (await certificateFault(file))
    setNotTaken(fault ?? undefined)
    certificate.change(fault ? null : file)
  }
  const drop = useDrop((file) => {
    if (!isBusy) void choose(file)
  })
  const day = dayFrom(form.watch('day'))
  const keeps = day && standing.dueOn && keepsDate(day, standing.dueOn, standing.figures)
  const isGas = type === 'GasSafety'
  return (
    <form
      className={classes.editor}
      aria-label={`Add ${recordTypeWords[type].toLowerCase()} record`}
      noValidate
      onSubmit={(event) => void form.handleSubmit((values) => add(values))(event)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !isBusy) onClose()
      }}
      {...drop.handlers}
    >
      <header>
        <h2>Add {recordTypeWords[type].toLowerCase()} record</h2>
        <span>
          {isGas ? 'Attach the certificate: a record is saved only together with it' : 'The certificate is optional'}
        </span>
      </header>
      <div className={classes.fields} data-kits={isGas ? undefined : true}>
        <TextField
          form={form}
          name="serialNumber"
          label="Certificate Number"
          required
          first
          disabled={isBusy}
          maxLength={longestSerialNumber}
        />
        <DayField
          form={form}
          disabled={isBusy}
          today={today}
          hint={keeps ? `Keeps ${longDay(standing.dueOn!)}` : undefined}
        />
        <ResultField form={form} disabled={isBusy} />
        {!isGas && (
          <SelectField
            form={form}
            name="testKit"
            label="Test kit"
            required
            disabled={isBusy}
            placeholder="Choose a test kit"
            data={testKits.map((kit) => ({ value: kit, label: kit }))}
          />
        )}
        <CertificateField
          file={certificate.value as File | null}
          onChange={(file) => void choose(file)}
          sent={adding.is === 'uploading' ? adding.sent : undefined}
          onStop={stop}
          disabled={isBusy}
          isDraggedOver={drop.isDraggedOver}
          notTaken={notTaken}
          error={notTaken ? undefined : certificate.error}
          required={isGas}
        />
      </div>
      {adding.is === 'failed' && (
        <div className={classes.failed} role="alert">
          <IconAlertCircle size={20} aria-hidden />
          <p>
            <b>{recordTexts.failed}</b>
            {adding.why} Nothing was saved.
          </p>
          <Button type="submit" variant="default">
            Try again
          </Button>
        </div>
      )}
      {adding.is === 'asking' && (
        <div className={classes.question} role="alert">
          <p>
            <b>{adding.use}</b>
            Does it cover both properties?
          </p>
          <Button
            variant="default"
            onClick={() => {
              reopen()
              setFocus('serialNumber')
            }}
          >
            Change number
          </Button>
          <Button
            variant="default"
            onClick={() => void form.handleSubmit((values) => add(values, { coversOtherHome: true }))()}
          >
            It covers both properties
          </Button>
        </div>
      )}
      <footer>
        <Steps adding={adding} />
        <span className={classes.buttons}>
          {form.formState.isDirty && !isBusy && <DraftNote onDiscard={() => discardDraft(form)} />}
          <Button type="submit" disabled={isBusy} leftSection={isBusy ? <Loader size={14} color="gray" /> : undefined}>
            {isBusy ? 'Saving ...' : 'Save record'}
          </Button>
          <Button variant="default" onClick={isBusy ? stop : onClose}>
            Cancel
          </Button>
        </span>
      </footer>
    </form>
  )
}

/** '28 November'. */
const longDay = (day: string) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(Date.parse(day))

/** The two steps of saving: the record, then its file. */
function Steps({ adding }: { adding: Adding }) {
  return (
    <span className={classes.steps} role="status">
      {adding.is === 'uploading' && (
        <>
          <span>
            <IconCheck size={16} aria-hidden />
            Record saved
          </span>
          <b>
            <Loader size={14} />
            Uploading the certificate
          </b>
        </>
      )}
    </span>
  )
}
