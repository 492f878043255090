import type { ReactNode } from 'react'
import { useMediaQuery } from '@mantine/hooks'
import { IconChevronLeft, IconChevronRight, IconChevronsLeft, IconChevronsRight } from '../icons/index.ts'
import { clampPage, pageCount, pagerWindow, rangeText, slidingWindow, spanText } from '@caretaker/rules/lists/pager.ts'
import classes from './pager.module.css'

interface PagerProps {
  /** From 1. */
  page: number
  pageSize: number
  /** The number of rows on all pages; undefined while unknown. */
  total: number | undefined
  onPage: (page: number) => void
  /** Separate buttons for first and last page, as in the generic table. */
  ends?: boolean
  /** The selectable page sizes, if any. */
  pageSizes?: readonly number[]
  onPageSize?: (size: number) => void
  /** Content beside the range text. */
  note?: ReactNode
}

/** The shown rows, and buttons for the other pages; on a phone a select of row ranges. */
export function Pager(props: PagerProps) {
  const { page, pageSize, total, onPage, ends = false, pageSizes = [], onPageSize, note } = props
  const pages = pageCount(total ?? 0, pageSize)
  const current = clampPage(page, pages)
  const isPhone = useMediaQuery('(width < 48em)', false, { getInitialValueInEffect: false })
  return (
    <div className={classes.pager}>
      <div className={classes.start}>
        <span className={classes.range}>{total !== undefined && rangeText(current, pageSize, total)}</span>
        {pageSizes.length > 1 && (
          <label className={classes.size}>
            <span className={classes.sizeWord}>Rows</span>
            <select
              aria-label="Rows per page"
              value={pageSize}
              onChange={(event) => onPageSize?.(Number(event.currentTarget.value))}
            >
              {pageSizes.map((size) => (
                <option key={size} value={size}>
                  {size}
                </option>
              ))}
            </select>
          </label>
        )}
        {note}
      </div>
      {(pages > 1 || ends) && (
        <nav className={classes.pages} aria-label="Pages">
          {ends && (
            <Step label="First page" disabled={current === 1} onPress={() => onPage(1)}>
              <IconChevronsLeft size={16} aria-hidden />
            </Step>
          )}
          <Step label="Previous page" disabled={current === 1} onPress={() => onPage(current - 1)}>
            <IconChevronLeft size={16} aria-hidden />
          </Step>
          <ol className={classes.numbers}>
            {(ends ? slidingWindow(current, pages) : pagerWindow(current, pages)).map((place, index) => (
              <li key={place === 'gap' ? `gap-${index}` : place}>
                {place === 'gap' ? (
                  <span className={classes.gap} aria-hidden>
                    …
                  </span>
                ) : (
                  <button
                    type="button"
                    className={classes.button}
                    aria-label={`Page ${place}`}
                    aria-current={place === current ? 'page' : undefined}
                    onClick={() => onPage(place)}
                  >
                    {place}
                  </button>
                )}
              </li>
            ))}
          </ol>
          {isPhone && (
            <label className={classes.short}>
              <select aria-label="Page" value={current} onChange={(event) => onPage(Number(event.currentTarget.value))}>
                {Array.from({ length: pages }, (_, at) => (
                  <option key={at} value={at + 1}>
                    {at + 1}: {spanText(at + 1, pageSize, total ?? 0)}
                  </option>
                ))}
              </select>
              of {pages}
            </label>
          )}
          <Step label="Next page" disabled={current === pages} onPress={() => onPage(current + 1)}>
            <IconChevronRight size={16} aria-hidden />
          </Step>
          {ends && (
            <Step label="Last page" disabled={current === pages} onPress={() => onPage(pages)}>
              <IconChevronsRight size={16} aria-hidden />
            </Step>
          )}
        </nav>
      )}
    </div>
  )
}

interface StepProps {
  label: string
  disabled: boolean
  onPress: () => void
  children: ReactNode
}

function Step({ label, disabled, onPress, children }: StepProps) {
  return (
    <button type="button" className={classes.button} aria-label={label} disabled={disabled} onClick={onPress}>
      {children}
    </button>
  )
}
