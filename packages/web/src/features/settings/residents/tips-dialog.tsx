import { useDeferredValue, useRef, useState } from 'react'
import { ActionIcon, Button, Textarea } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconBold, IconItalic, IconLink, IconList, IconTrash } from '../../../icons/index.ts'
import { deleteDocument, getDocument, getDocuments, saveDocument } from '@caretaker/contract/calls/documents.ts'
import type { Resident } from '@caretaker/contract/residents.ts'
import { longestTips } from '@caretaker/rules/residents/residents.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { textsOf } from '../../../api/errors.ts'
import { CancelButton, Dialog, Problems } from '../../../ui/dialog.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { showSuccess } from '../../../ui/toasts.tsx'
import { Markdown } from './markdown.ts'
import { residentsQuery } from './queries.ts'
import classes from './residents.module.css'

interface Stored {
  /** Undefined if there is no text yet. */
  id: string | undefined
  text: string
}

/** The first document of the resident, with its text. */
async function fetchTips(tenant: string, userId: string, signal: AbortSignal): Promise<Stored> {
  const query = { userId, contentType: 'text/markdown', documentType: 'SavingsAndTips' } as const
  const { results } = await call(getDocuments, { params: { tenant }, query }, { signal })
  const [first] = results
  if (first?.documentType !== 'SavingsAndTips') return { id: undefined, text: '' }
  const id = first.resourceLocation.split('/').at(-1)!
  const file = await call(getDocument, { params: { tenant, id } }, { signal })
  return { id, text: file instanceof File ? await file.text() : '' }
}

interface TipsDialogProps {
  resident: Resident
  onClose: () => void
}

/** The text for a resident in Markdown, with a preview. */
export default function TipsDialog({ resident, onClose }: TipsDialogProps) {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery({
    queryKey: [tenant, 'savings and tips', resident.auth0UserId],
    queryFn: ({ signal }) => fetchTips(tenant, resident.auth0UserId, signal),
    // Fetched when opened, and not while being edited.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnMount: 'always',
  })
  if (data) return <Editor resident={resident} stored={data} onClose={onClose} />
  return (
    <Dialog title="Savings and tips" size="800px" onClose={onClose}>
      {isError ? <Failed onRetry={() => void refetch()} /> : <Loading />}
    </Dialog>
  )
}

const tools = [
  { label: 'Bold', icon: IconBold, around: '**' },
  { label: 'Italic', icon: IconItalic, around: '*' },
  { label: 'List', icon: IconList, before: '- ' },
  { label: 'Link', icon: IconLink, before: '[', after: '](https://)' },
] as const

function Editor({ resident, stored, onClose }: TipsDialogProps & { stored: Stored }) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const [text, setText] = useState(stored.text)
  const [sending, setSending] = useState<'save' | 'delete'>()
  const [problems, setProblems] = useState<string[]>([])
  const preview = useDeferredValue(text)
  const area = useRef<HTMLTextAreaElement>(null)
  const isEmpty = text.trim() === ''
  const send = async (what: 'save' | 'delete', sent: () => Promise<unknown>, message: string) => {
    setSending(what)
    setProblems([])
    try {
      await sent()
      showSuccess(message)
      void queryClient.invalidateQueries({ queryKey: residentsQuery(tenant).queryKey })
      onClose()
    } catch (error) {
      setProblems(textsOf(error))
      setSending(undefined)
    }
  }
  const save = () => {
    const content = new File([text], 'savings-and-tips.md', { type: 'text/markdown' })
    const form = {
      content,
      ...(stored.id && { documentId: stored.id }),
      userId: resident.auth0UserId,
      contentType: 'text/markdown',
      documentType: 'SavingsAndTips',
    } as const
    return send(
      'save',
      () => call(saveDocument, { params: { tenant }, form }),
      'Savings and tips updated successfully!',
    )
  }
  const remove = () => {
    const { id } = stored
    // A text that was never stored needs no deletion.
    const sent = () => (id ? call(deleteDocument, { params: { tenant, id } }) : Promise.resolve())
    return send('delete', sent, 'Savings and tips deleted successfully!')
  }
  const wrap = (before: string, after: string) => {
    const { selectionStart: from, selectionEnd: to } = area.current!
    setText(`${text.slice(0, from)}${before}${text.slice(from, to)}${after}${text.slice(to)}`)
    area.current?.focus()
  }
  return (
    <Dialog
      title={`Savings and tips: ${resident.name ?? resident.auth0UserId}`}
      size="800px"
      busy={sending !== undefined}
      onClose={onClose}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => void remove()}
            disabled={isEmpty || sending !== undefined}
            loading={sending === 'delete'}
          >
            Delete
          </Button>
          <span className={classes.spacer} />
          <CancelButton disabled={sending !== undefined} />
          <Button
            onClick={() => void save()}
            disabled={isEmpty || text === stored.text || sending !== undefined}
            loading={sending === 'save'}
          >
            Save
          </Button>
        </>
      }
    >
      <div className={classes.editor}>
        <div>
          <div className={classes.tools}>
            {tools.map(({ label, icon: Icon, ...marks }) => (
              <ActionIcon
                key={label}
                aria-label={label}
                title={label}
                onClick={() =>
                  'around' in marks
                    ? wrap(marks.around, marks.around)
                    : wrap(marks.before, 'after' in marks ? marks.after : '')
                }
              >
                <Icon size={18} aria-hidden />
              </ActionIcon>
            ))}
            <span className={classes.dimmed}>{text.length.toLocaleString('en-GB')} characters</span>
          </div>
          <Textarea
            ref={area}
            aria-label="Savings and tips in Markdown"
            rows={20}
            maxLength={longestTips}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            data-autofocus
          />
        </div>
        <section className={classes.preview} aria-label="As the resident sees it">
          <p>As the resident sees it</p>
          <Markdown text={preview} />
        </section>
      </div>
      <Problems texts={problems} />
    </Dialog>
  )
}
