import type { ReactNode } from 'react'
import { Button } from '@mantine/core'
import type { FieldValues } from 'react-hook-form'
import { CancelButton, Dialog, DraftNote, Problems, questionWidth } from '../dialog.tsx'
import type { Form, Submission } from './use-form.ts'
import { discardDraft, draftOf } from './use-form.ts'

interface FormDialogProps<I extends FieldValues, O> {
  title: string
  /** The text of the submit button. */
  verb: string
  form: Form<I, O>
  submission: Submission
  onClose: () => void
  /** Whether there is anything to send; an edit form waits for a change. */
  ready?: boolean
  /** 600 px. */
  wide?: boolean
  children: ReactNode
}

/** A form in a dialog. It is sent only when valid, and cannot be closed while the request is pending. */
export function FormDialog<I extends FieldValues, O>(props: FormDialogProps<I, O>) {
  const { title, verb, form, submission, onClose, ready = true, wide = false, children } = props
  const { status, problems, onSubmit } = submission
  const sending = status === 'loading'
  const draft = draftOf(form)
  return (
    <Dialog
      title={title}
      size={wide ? 600 : questionWidth}
      onClose={onClose}
      busy={sending}
      keepsDraft={draft !== undefined}
      form={{ noValidate: true, onSubmit: (event) => void onSubmit(event) }}
      actions={
        <>
          {draft && form.formState.isDirty && <DraftNote onDiscard={() => discardDraft(form)} />}
          <CancelButton disabled={sending} />
          <Button type="submit" disabled={!form.formState.isValid || !ready} loading={sending}>
            {verb}
          </Button>
        </>
      }
    >
      {children}
      <Problems texts={problems} />
    </Dialog>
  )
}
