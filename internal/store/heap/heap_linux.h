void *heap_malloc(int n);
void heap_free(void *piece);
void *heap_realloc(void *piece, int n);
int heap_size(void *piece);
int heap_active(void);
