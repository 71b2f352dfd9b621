// The health of a webhook endpoint: its state, why deliveries fail and what to do, and the deliveries that wait.
import { t } from './current-language.js';
import { html, Problem, timeOf, useWork } from './view.js';

/** @typedef {import('./types.d.ts').EndpointHealth} EndpointHealth */

/**
 * Both values are checked, because `consecutiveFailures` starts at 0 when the gateway restarts, and `failingSince` is
 * stored.
 * @param {EndpointHealth} health
 */
const isFailing = ({ consecutiveFailures, failingSince }) => consecutiveFailures > 0 || failingSince !== null;

/**
 * The badge with the state of an endpoint. `isUsed`: whether the gateway lists at least one delivery to the endpoint.
 * @param {{ enabled: boolean, health: EndpointHealth | undefined, isUsed: boolean }} props
 */
export function Health({ enabled, health, isUsed }) {
  if (!enabled) return html`<span class="badge bad">${t('health.off')}</span>`;
  if (health?.breakerOpenUntil) return html`<span class="badge bad">${t('health.paused')}</span>`;
  if (health && isFailing(health)) return html`<span class="badge busy">${t('health.failing')}</span>`;
  if (!isUsed) return html`<span class="badge idle">${t('health.unused')}</span>`;
  return html`<span class="badge good">${t('health.healthy')}</span>`;
}

/** @param {EndpointHealth} health */
function causeOf({ lastFailure, failingSince }) {
  if (!lastFailure) return failingSince ? t('health.noSuccess', { time: timeOf(failingSince) }) : '';
  const { status, error, at } = lastFailure;
  const time = timeOf(at);
  return status === null ? t('health.noResponse', { time, error }) : t('health.responded', { status, time });
}

/**
 * Why deliveries fail and what to do; empty for a healthy endpoint. `onRetry` makes the gateway retry the waiting
 * deliveries now.
 * @param {{ enabled: boolean, health: EndpointHealth | undefined, onRetry: () => Promise<void> }} props
 */
export function Trouble({ enabled, health, onRetry }) {
  const [problem, isBusy, run] = useWork();
  if (!enabled) return html`<p class="cause">${t('health.offText')} <strong>${t('health.offAdvice')}</strong></p>`;
  if (!health || !(health.breakerOpenUntil || isFailing(health))) return null;
  return html`<p class="cause">
      ${causeOf(health)} ${consequenceOf(health)} <strong>${adviceOf(health)}</strong>
    </p>
    <${Problem} text=${problem} />
    ${health.waiting > 0 && html`<button type="button" disabled=${isBusy} onClick=${() => run(onRetry)}>${t('health.retry')}</button>`}`;
}

/**
 * What to do about failed deliveries. `dead`: number of deliveries that are no longer retried.
 * @param {EndpointHealth} health
 */
function adviceOf({ waiting, dead }) {
  if (waiting > 0) return t('health.fixRetry');
  return t(dead > 0 ? 'health.fixReplay' : 'health.fix');
}

/** What happens to the waiting deliveries. @param {EndpointHealth} health */
function consequenceOf({ waiting, breakerOpenUntil }) {
  if (breakerOpenUntil) return t('health.kept', { time: timeOf(breakerOpenUntil) });
  return waiting > 0 ? t('health.retried') : '';
}

/**
 * Numbers of waiting, failed (`dead`) and dropped (`shed`) deliveries, and the state of the retries. `shed.light`
 * counts deliveries of presence and receipts, and `shed.other` counts all other deliveries.
 * @param {{ health: EndpointHealth }} props
 */
export function Backlog({
  health: { waiting, dead, oldestAgeSeconds, consecutiveFailures, breakerOpenUntil, failingSince, shed },
}) {
  const dropped = shed.light + shed.other;
  /** A fact with the value `false` is not shown. @type {[term: string, value: string | number | false][]} */
  const facts = [
    [
      t('health.waiting'),
      oldestAgeSeconds ? t('health.waitingSince', { waiting, seconds: oldestAgeSeconds }) : waiting,
    ],
    [t('health.failed'), dead],
    [t('health.failures'), consecutiveFailures > 0 && consecutiveFailures],
    [t('health.failingSince'), failingSince !== null && timeOf(failingSince)],
    [t('health.nextAttempt'), breakerOpenUntil !== null && timeOf(breakerOpenUntil)],
    [t('health.dropped'), dropped > 0 && dropped],
  ];
  return html`<dl class="facts small">${facts
    .filter(([, value]) => value !== false)
    .map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}
