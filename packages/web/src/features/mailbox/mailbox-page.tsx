import { useMemo, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { MailboxEntry } from '@caretaker/contract/mailbox.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { Dialog } from '../../ui/dialog.tsx'
import type { GenericColumn } from '../../ui/generic-table.tsx'
import { GenericTable } from '../../ui/generic-table.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { Empty } from '../../ui/states.tsx'
import { TimeOf } from '../../ui/zone.tsx'
import { piecesOf } from './links.ts'
import { mailboxQuery } from './queries.ts'
import classes from './mailbox.module.css'

const states: Record<MailboxEntry['state'], string> = {
  kept: 'Stored here',
  waiting: 'Waiting',
  sent: 'Sent',
  failed: 'Failed',
  suppressed: 'Not sent',
}

/** The last e-mails of the client. A demo stores them here instead of sending them, including links. */
export function MailboxPage() {
  const { actor, client } = usePresence()
  usePageTitle('Mailbox', client.displayName)
  const { data, isError, refetch } = useQuery(mailboxQuery(actor.tenant))
  const [opened, setOpened] = useState<string>()
  const columns = useMemo(() => columnsFor(), [])
  const mail = data?.find(({ id }) => id === opened)
  return (
    <ListPage title="Mailbox" count={data?.length}>
      <GenericTable
        label="Mails"
        columns={columns}
        rows={data ?? none}
        rowId={(row) => row.id}
        onOpen={({ id }) => setOpened(id)}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        empty={<Empty text="No data available" hint="Invitations and password resets for this client appear here." />}
        phoneRow={phoneRow}
      />
      {mail && <MailDialog mail={mail} onClose={() => setOpened(undefined)} />}
    </ListPage>
  )
}

const none: MailboxEntry[] = []

function columnsFor(): GenericColumn<MailboxEntry>[] {
  return [
    { id: 'at', header: 'When', width: 135, value: ({ at }) => at, cell: ({ at }) => <TimeOf at={at} /> },
    { id: 'to', header: 'To', width: 190, value: ({ to }) => to, cell: ({ to }) => to },
    {
      id: 'subject',
      header: 'Subject',
      width: 270,
      link: true,
      value: ({ subject }) => subject,
      cell: ({ subject }) => subject,
    },
    {
      id: 'state',
      header: 'State',
      width: 95,
      value: ({ state }) => states[state],
      cell: ({ state }) => <span className={classes.state}>{states[state]}</span>,
    },
  ]
}

function phoneRow(row: MailboxEntry) {
  return (
    <span className={classes.phoneRow}>
      <b className={classes.phoneName}>{row.subject}</b>
      <span className={classes.state}>{row.to}</span>
      <span className={classes.state}>
        <TimeOf at={row.at} />
      </span>
    </span>
  )
}

function MailDialog({ mail, onClose }: { mail: MailboxEntry; onClose: () => void }) {
  return (
    <Dialog title={mail.subject} onClose={onClose} wide>
      <p className={classes.state}>
        To {mail.to}, <TimeOf at={mail.at} />. {states[mail.state]}
        {mail.error && `: ${mail.error}`}
      </p>
      <div className={classes.text}>
        {mail.text === null
          ? 'The text of this e-mail is not kept.'
          : piecesOf(mail.text).map(({ text, href }, index) =>
              href ? (
                <a key={`${index} ${text}`} href={href} rel="noreferrer">
                  {text}
                </a>
              ) : (
                text
              ),
            )}
      </div>
    </Dialog>
  )
}
