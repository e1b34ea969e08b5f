export { ViewPublisher, type ViewPublisherProps, type ViewsProps } from './view-publisher.ts'
