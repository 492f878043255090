import { useDeferredValue } from 'react'
import { useMediaQuery } from '@mantine/hooks'
import type { UseInfiniteQueryResult, InfiniteData } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { SensorMessage } from '@caretaker/contract/connections.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { Empty } from '../../../ui/states.tsx'
import { modelPath } from '../addresses.ts'
import { MessageDetail } from './message-detail.tsx'
import { MessageList } from './message-list.tsx'
import type { MessageSearch } from './message-place.ts'
import { validMessageSearch } from './message-place.ts'
import classes from './messages.module.css'

interface MessagePage {
  results: SensorMessage[]
  next: string | null
  withRejected: number
  modelId: string | null
}

/** The place of the page in the address, and the part that the server searches by. */
export function useMessagePlace() {
  const place = validMessageSearch(useSearch({ strict: false }))
  const { message: _message, ...asked } = place
  return { place, asked: useDeferredValue(asked, {}) }
}

interface MessagesViewProps {
  place: MessageSearch
  query: UseInfiniteQueryResult<InfiniteData<MessagePage>>
  namesSensors?: boolean
}

/** Messages and, beside them, the chosen one. */
export function MessagesView({ place, query, namesSensors = false }: MessagesViewProps) {
  const actor = useActor()
  const navigate = useNavigate()
  const isNarrow = useMediaQuery('(width < 64em)', false, { getInitialValueInEffect: false })
  const { data, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const messages = data?.pages.flatMap(({ results }) => results)
  const chosen = messages?.find(({ id }) => id === place.message) ?? (isNarrow ? undefined : messages?.[0])
  const modelId = data?.pages[0]?.modelId ?? null
  const show = (part: object, isTyping = false) =>
    void navigate({
      to: '.',
      search: (now) => {
        const {
          result: _result,
          rejected: _rejected,
          search: _search,
          message: _id,
          ...others
        } = now as Record<string, unknown>
        return { ...others, ...validMessageSearch({ ...place, ...part }) } as never
      },
      replace: isTyping,
      resetScroll: false,
    })
  return (
    <div className={classes.view} data-open={(isNarrow && chosen !== undefined) || undefined}>
      {!(isNarrow && chosen) && (
        <MessageList
          messages={messages}
          isFailed={isError}
          onRetry={() => void refetch()}
          withRejected={data?.pages[0]?.withRejected ?? 0}
          place={place}
          chosen={chosen?.id}
          namesSensors={namesSensors}
          onPlace={(part) => show(part, 'search' in part)}
          onOlder={hasNextPage ? () => void fetchNextPage() : undefined}
          isLoadingOlder={isFetchingNextPage}
        />
      )}
      {chosen ? (
        <MessageDetail
          key={chosen.id}
          message={chosen}
          mappingHref={modelId !== null && can(actor, 'see connections') ? modelPath(actor.tenant, modelId) : undefined}
          onBack={isNarrow ? () => show({ message: undefined }) : undefined}
        />
      ) : (
        !isNarrow && messages?.length === 0 && <Empty text="Choose a message" hint="Its values appear here." />
      )}
    </div>
  )
}
